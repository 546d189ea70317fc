-- What: who asked for an approval stands in a column of its own, and the index of what somebody asked for is over it.
-- Why:  a partner's key lists what it asked for itself. Under row security no index serves a comparison with what is taken out
--       of jsonb, since that may fail and tell by its error of rows that are hidden: its page was sought among all approvals
--       of the workspace. Comparing texts tells nothing, so the index serves it.
-- Locks: v2_approvals, exclusively, while it is written anew: about a second for each hundred thousand approvals. Gives up after
--        five seconds of waiting for it, so that calls do not queue up behind: run it again then.

set local lock_timeout = '5s';

alter table framed.v2_approvals
  add column requester text generated always as ((requested_by ->> 'kind') || ' ' || (requested_by ->> 'id')) stored;
comment on column framed.v2_approvals.requester is 'Kind and id of requested_by, to find what somebody asked for.';

drop index framed.v2_approvals_by_requester_idx;
create index v2_approvals_by_requester_idx on framed.v2_approvals (workspace_id, requester, requested_at desc, id desc);
