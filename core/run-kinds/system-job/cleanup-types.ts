/** `job_type` of system job templates and of their runs. */
export const cleanupTypes: [string, string][] = [
  ['cleanup_jobs', 'Removes runs that are older than so many days, with their events'],
  ['cleanup_activitystream', 'Removes entries of the activity stream that are older than so many days'],
  ['cleanup_sessions', 'Removes sessions that have expired'],
  ['cleanup_tokens', 'Removes tokens that have expired'],
];
