-- What: the rule by which an approval is looked up by its id alone is written so that no index serves it.
-- Why:  read beside the rule for a workspace's own, it made a page of a workspace's approvals come out of every approval there
--       that waits anywhere, or out of all of the workspace, and be sorted. It is asked for by id, which has an index of its own.
-- Locks: v2_approvals, exclusively, for a moment. Gives up after five seconds of waiting for it, so that calls do not queue up
--        behind: run it again then.

set local lock_timeout = '5s';

alter policy v2_approvals_asked_for on framed.v2_approvals
  using (case when (select framed.current_approval_id()) is null then false else id = (select framed.current_approval_id()) end);
