/**
 * Neutral names and the real ones behind them: senders and playbooks may use either. Add to a list what those of a deployment
 * say besides.
 */
export const standIns = {
  /** Under each of these prefixes a playbook finds what its run is told of itself: `svc_job_id`, `awx_job_id`, `tower_job_id`. */
  variablePrefixes: ['svc', 'awx', 'tower'],
  /** Paths below a host at which its facts are found. */
  facts: ['engine_facts', 'ansible_facts'],
  /** Headers of webhooks, in lower case: what stands for each where it is missing, the first that is there. */
  headers: {
    'x-hub-signature-256': ['x-scm-signature-256'],
    'x-hub-signature': ['x-scm-signature'],
    'x-gitlab-token': ['x-scm-token'],
    'x-github-event': ['x-scm-event'],
    'x-github-delivery': ['x-scm-delivery'],
    'x-gitlab-event': ['x-scm-event'],
    'x-gitlab-event-uuid': ['x-scm-event-uuid'],
  },
} as const satisfies {
  variablePrefixes: readonly string[];
  facts: readonly string[];
  headers: Readonly<Record<string, readonly string[]>>;
};
