-- SPDX-License-Identifier: Apache-2.0
-- For a file of format version 5, or of an older one after its own scripts,
-- that is opened read-only: every template is one without a contract.

CREATE TEMP VIEW IF NOT EXISTS default_v2 AS
SELECT op, template_name AS implementation, 'template' AS kind,
       2 - (compile_arch GLOB 'sm_*[af]') AS preference,
       arch, types, config, registers, spill_bytes, static_shared_bytes,
       template_sha256, toolchain, compile_arch, options, variant_id,
       launch_plan, cubin_sha256, cubin_size_bytes, cubin, launch_sha256
  FROM default_v1;
