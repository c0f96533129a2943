/** What the closing statistics of a run count of each host, and `job_host_summaries` keep. */
export const hostCounters = [
  'changed',
  'dark',
  'failures',
  'ok',
  'processed',
  'skipped',
  'rescued',
  'ignored',
] as const;
