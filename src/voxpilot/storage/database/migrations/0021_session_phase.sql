-- What a session is doing, in one column. Columns are added or renamed but never removed: `voxpilot rescue` reads
-- the rows of older files by position, and runs this UPDATE again. The column `loading` is not used any more.
ALTER TABLE acp_sessions ADD COLUMN phase TEXT NOT NULL DEFAULT '';
ALTER TABLE acp_sessions RENAME COLUMN prompting TO unseen;
UPDATE acp_sessions SET
  phase = now.phase,
  process_id = CASE WHEN now.phase IN ('unopened', 'closed') THEN '' ELSE process_id END,
  replay = CASE WHEN now.phase = 'restoring' THEN replay END,
  answered_at = CASE WHEN now.phase != 'prompting' THEN answered_at END,
  unseen = now.phase IN ('closed', 'restoring') AND loading IS 'shown'
FROM (
  SELECT id, CASE
    WHEN acp_session_id = '' THEN 'unopened'
    WHEN process_id NOT IN (SELECT id FROM agent_processes WHERE state != 'ended') THEN 'closed'
    WHEN loading IS NOT NULL THEN 'restoring'
    WHEN unseen AND turn IS NOT NULL THEN 'prompting'
    ELSE 'idle'
  END AS phase FROM acp_sessions
) AS now
WHERE acp_sessions.id = now.id AND acp_sessions.phase = '';
