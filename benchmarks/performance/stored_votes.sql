-- 1,000,000 votes of 20,000 voters on 40 models; all hangs on the number of the battle alone
SET LOCAL session_replication_role = replica;  -- nine million keys that are right are not looked up

CREATE TEMPORARY TABLE made AS
SELECT n, 1 + n * 31 % 20000 AS voter, 1 + n % 40 AS a, 1 + (n + 1 + (n / 40) % 39) % 40 AS b, 20 + n * 17 % 400 AS long
FROM generate_series(0::bigint, 999999) AS n;

INSERT INTO voter (id, made_at, consent, client) SELECT n, 0, '', '' FROM generate_series(1, 20000) AS n;

INSERT INTO battle (id, voter, text, language, a, b, propensity, seed, study, quota, state, made_at, ready_at)
SELECT 'b' || n, voter, 'What is that sound?', 'en', a, b, 0.00128, n, '', 0, 'revealed', n, n FROM made;

INSERT INTO reply (battle, side, state, text, error, length, latency_s, finish_reason, at)
SELECT 'b' || n, side, 'answered', 'A dog barks.', '', long, 1.5, 'stop', n FROM made CROSS JOIN generate_series(0, 1) AS side;

INSERT INTO vote (battle, voter, a, b, outcome, propensity, length_a, length_b, latency_a, latency_b, at, seconds, changes,
                  comment, tags)
SELECT 'b' || n, voter, a, b,
       CASE WHEN n * 7919 % 101 < 20 THEN 2 WHEN n * 104729 % (a + b) < a THEN 0 ELSE 1 END,
       0.00128, long, long + 5, 1.5, 1.2, n, 20.0 + n % 30, 0, '', '[]'
FROM made;

ANALYZE;
