-- SPDX-License-Identifier: Apache-2.0
-- Baselines for a database of make_large: each session with a library that is
-- slower by 0 to 38 % or, every eighth, faster by 10 %, and with a copy of the
-- bytes, at 4 TB/s. Half of the sessions have a second library.
INSERT INTO baseline (session_id, name, label, choice, n_choices, time_ns,
                      spread_ns, n_samples, error_ratio)
SELECT r.session_id, 'cublaslt', 'cuBLASLt, the fastest of 8 algorithms', 3, 8,
       r.time_ns * iif(r.session_id / 80 % 8 = 1, 0.9, 1 + r.session_id * 7919 % 97 % 20 / 50.0),
       r.time_ns / 1000, 24, 0.1
  FROM ranking r WHERE r.rank = 1
UNION ALL
SELECT r.session_id, 'cublas', 'cuBLAS', 0, 1,
       r.time_ns * (1.1 + r.session_id * 7919 % 89 % 7 / 10.0), r.time_ns / 1000, 24, 0.1
  FROM ranking r WHERE r.rank = 1 AND r.session_id / 80 % 2
UNION ALL
SELECT r.session_id, 'memcpy', 'memory copy', 0, 1, 4000 + r.time_ns / 100,
       20, 24, NULL
  FROM ranking r WHERE r.rank = 1
