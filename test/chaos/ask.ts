import type { Answer, Api } from './api.ts';
import type { Ledger } from './ledger.ts';
import type { PlayName } from './plays.ts';

export interface World {
  api: Api;
  ledger: Ledger;
  templates: Record<PlayName, number>;
  /** what is launched beside them: requests that are answered with the run */
  others: readonly (readonly [path: string, body: object])[];
  /** aborted when clients are to end */
  over: AbortSignal;
}

/** What they want to be alive at once. */
export const busy = 6;

/** Whatever happens to the service, a client is never told that it is at fault, or that the service does not know why. */
export async function ask(
  { api, ledger }: World,
  [method, path]: [method: string, path: string],
  expected: readonly number[],
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer> {
  const kind = `${method} ${path.replace(/\d+/g, 'N').replace(/\?.*/, '')}`;
  const answer = await api.send(method, path, body, headers).catch((error: unknown) => {
    ledger.count(`${kind}: no answer`);
    throw error;
  });
  ledger.count(`${kind}: ${answer.status}`);
  if (![503, ...expected].includes(answer.status))
    ledger.complain(`${method} ${path} was answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
  return answer;
}

export async function isBusy(world: World): Promise<boolean> {
  const { status, body } = await ask(world, ['GET', 'jobs/?status__in=pending,waiting,running&page_size=1'], [200]);
  return status !== 200 || body.count >= busy;
}
