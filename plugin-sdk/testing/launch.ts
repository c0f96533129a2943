import type { Launch } from '../hooks.ts';
import type { Actor } from '../resource.ts';

export const fakeActor = (given: Partial<Actor> = {}): Actor => ({
  id: 1,
  username: 'tester',
  is_superuser: false,
  is_system_auditor: false,
  read_only: false,
  via: 'basic',
  ...given,
});

/** A launch for a `beforeStart` tap; `explained` holds what the tap adds to the run's explanation. */
export function fakeLaunch(given: Partial<Launch> = {}): Launch & { explained: string[] } {
  const explained: string[] = [];
  const launch = {
    run: { id: 1, kind: 'job', status: 'new', template_id: 1 },
    template: { id: 1, kind: 'job_template', name: 'template', organization_id: 1 },
    actor: fakeActor(),
    authority: fakeActor(),
    origin: { kind: 'api', id: null, client_ip: null },
    signal: new AbortController().signal,
    explain: (text: string) => void explained.push(text),
    ...given,
  } as Launch;
  return Object.assign(launch, { explained });
}
