-- SPDX-License-Identifier: Apache-2.0
-- Format version 9: what the launch plans of a template have in common is kept
-- once. A plan is 0.5 to 7 KB of text, of which the lines for the parameters,
-- some 200 bytes, are a variant's own: plans were two thirds of a file.

CREATE TABLE launch_form (
    form_id INTEGER PRIMARY KEY,
    head    TEXT NOT NULL, -- the lines before those of the variant
    tail    TEXT NOT NULL, -- and those behind them
    UNIQUE (head, tail)
) STRICT;

-- NULL: launch_lines is all of the plan, as it was before this version. Such a
-- row gets a form when it is stored again.
ALTER TABLE variant
  ADD COLUMN launch_form_id INTEGER REFERENCES launch_form (form_id);

-- No statement finds variants by what they refer to.
DROP INDEX variant_by_log;
DROP INDEX variant_by_cubin;

-- The column gets the name of what it holds now, and the views put plans
-- together. Changing both in one edit of the text leaves no row rewritten.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
   SET sql = replace(sql, 'launch_plan         TEXT NOT NULL',
                     'launch_lines        TEXT NOT NULL')
 WHERE type = 'table' AND name = 'variant';
UPDATE sqlite_schema
   SET sql = replace(sql, 'v.launch_plan,', 'coalesce((SELECT f.head ||'
                     || ' v.launch_lines || f.tail FROM launch_form f'
                     || ' WHERE f.form_id = v.launch_form_id),'
                     || ' v.launch_lines) AS launch_plan,')
 WHERE type = 'view' AND name IN ('ranked_v1', 'default_v1', 'default_v2');
PRAGMA writable_schema = RESET;

-- What a profiler said of a trial's kernels.
CREATE TABLE counter (
    trial_id INTEGER NOT NULL REFERENCES trial (trial_id),
    kernel   TEXT NOT NULL CHECK (kernel <> ''),
    name     TEXT NOT NULL CHECK (name <> ''),
    unit     TEXT NOT NULL,
    value    REAL NOT NULL,
    PRIMARY KEY (trial_id, kernel, name)
) STRICT, WITHOUT ROWID;

CREATE VIEW counter_v1 AS
SELECT p.op, p.dims, p.label, s.mode, d.name AS device_name,
       d.kind AS device_kind, d.driver_version, k.name AS template_name,
       v.config, c.kernel, c.name, c.unit, c.value, c.trial_id, t.variant_id
  FROM counter c
  JOIN trial t ON t.trial_id = c.trial_id
  JOIN session s ON s.session_id = t.session_id
  JOIN problem p ON p.problem_id = s.problem_id
  JOIN device d ON d.device_id = s.device_id
  JOIN variant v ON v.variant_id = t.variant_id
  JOIN template k ON k.template_id = v.template_id;

-- A row for each variant: what it is launched with.
CREATE VIEW launch_v1 AS
SELECT k.op, k.name AS template_name, v.config, v.types, v.arch, v.options,
       v.cubin_sha256,
       coalesce((SELECT f.head || v.launch_lines || f.tail
                   FROM launch_form f WHERE f.form_id = v.launch_form_id),
                v.launch_lines) AS launch_plan,
       v.launch_sha256, v.is_default, k.sha256 AS template_sha256,
       v.template_id, v.variant_id
  FROM variant v
  JOIN template k ON k.template_id = v.template_id;
