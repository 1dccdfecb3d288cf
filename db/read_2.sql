-- SPDX-License-Identifier: Apache-2.0
-- For a file of format version 2 that is opened read-only: as read_1.sql, what
-- version 3 added.

CREATE TEMP VIEW IF NOT EXISTS session_v1 AS
SELECT *, NULL AS stopped
  FROM main.session_v1;
