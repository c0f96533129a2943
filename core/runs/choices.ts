import { activeStatuses, terminalStatuses } from './states.ts';

const labelled = (values: readonly string[]): [string, string][] =>
  values.map((value) => [value, value.charAt(0).toUpperCase() + value.slice(1)]);

const ofRuns = [...activeStatuses, ...terminalStatuses];

export const runStatuses = labelled(ofRuns);

/** Of its newest run, or what a template says before there is one. */
export const templateStatuses = labelled([...ofRuns, 'never updated', 'ok', 'missing', 'none', 'updating']);

export const launchTypes = labelled([
  'manual',
  'relaunch',
  'callback',
  'scheduled',
  'dependency',
  'workflow',
  'webhook',
  'sync',
  'scm',
]);

export const sourceTypes: [string, string][] = [
  ['', 'Manual'],
  ['git', 'Git'],
  ['svn', 'Subversion'],
  ['archive', 'Remote Archive'],
];

export const webhookServices: [string, string][] = [
  ['', '---------'],
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['bitbucket_dc', 'BitBucket DataCenter'],
];
