import type { Call, Reply, RunRow } from '@tapline/plugin-sdk';

/**
 * The answer to a launch: the run as its detail shows it, but for what only a run can tell, with its number under the
 * name that clients of this kind expect.
 */
export async function launchReply(
  call: Call,
  run: RunRow,
  { status, name, extra = {} }: { status: 201 | 202; name: string; extra?: Record<string, unknown> },
): Promise<Reply> {
  const [shown] = await call.represent(run.kind, [run.id], 'detail');
  // it may be running already; the answer is about the launch
  const asLaunched = { status: run.status, started: null, execution_node: '', controller_node: '' };
  const { playbook_counts: _plays, host_status_counts: _hosts, ...rest } = shown ?? { id: run.id, url: '' };
  const launched = Object.fromEntries(Object.entries(asLaunched).filter(([key]) => key in rest));
  return {
    status,
    headers: { Location: String(rest['url']) },
    body: { [name]: run.id, ...extra, ...rest, ...launched },
  };
}
