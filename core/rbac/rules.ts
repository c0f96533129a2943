/** The rules that need nothing of core; those that look at object roles are in role-rules.ts. */
export {
  type CoreRule,
  type Ids,
  type Parts,
  allOf,
  anyOf,
  auditor,
  authenticated,
  columnIs,
  connection,
  everybody,
  nobody,
  not,
  owner,
  superuser,
  via,
} from '@tapline/plugin-sdk';
