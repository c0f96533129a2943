import type { Access, Answered, Field, Resource, RunKind, Span, Sublist } from '@tapline/plugin-sdk';
import type { z } from 'zod';
import { closest } from '../find/installed.ts';

/** The parts that a declaration may have: one that is missing here, or is no part, does not compile. */
type Parts<T> = { readonly [K in keyof T]-?: true };

const all = <T>(parts: Parts<T>): readonly string[] => Object.keys(parts);

/** Refuses what is no part: a misspelt one would be left out silently. */
export function only<T extends z.ZodType<object>>(parts: readonly string[], schema: T): T {
  return schema.superRefine((given, context) => {
    for (const key of Object.keys(given).filter((one) => !parts.includes(one))) {
      const meant = closest(key, parts);
      const hint = meant === undefined ? `there are: ${parts.join(', ')}` : `did you mean "${meant}"?`;
      context.addIssue({ code: 'custom', message: `unrecognized key: "${key}" (${hint})` });
    }
  });
}

export const resourceParts = all<Resource>({
  type: true,
  path: true,
  root: true,
  table: true,
  where: true,
  label: true,
  description: true,
  fields: true,
  methods: true,
  access: true,
  rights: true,
  capabilities: true,
  stream: true,
  orderBy: true,
  search: true,
  spans: true,
  sublists: true,
  actions: true,
  listActions: true,
  parameters: true,
  expression: true,
  formats: true,
  related: true,
  summaries: true,
  summary: true,
  extraSql: true,
  unique: true,
  launch: true,
  beforeWrite: true,
  validate: true,
  afterCreate: true,
  afterUpdate: true,
  beforeDelete: true,
  insert: true,
  remove: true,
  afterDelete: true,
  present: true,
  identity: true,
  limitParameter: true,
  listHeaders: true,
  variants: true,
  listed: true,
  hiddenColumns: true,
  naming: true,
  deprecated: true,
  deleteStatus: true,
});

export const accessParts = all<Access>({ see: true, create: true, change: true, delete: true });

export const fieldParts = all<Field>({
  type: true,
  mode: true,
  required: true,
  default: true,
  nullable: true,
  column: true,
  sql: true,
  filterable: true,
  secret: true,
  sealed: true,
  unoffered: true,
  detailOnly: true,
  shortInLists: true,
  optional: true,
  orderSql: true,
  searchSql: true,
  read: true,
  write: true,
  orText: true,
  orList: true,
  offers: true,
  described: true,
  label: true,
  help: true,
  apiType: true,
  min: true,
  max: true,
  choices: true,
  ranked: true,
  target: true,
  numeric: true,
  engineTags: true,
  compute: true,
  inRow: true,
});

export const sublistParts = all<Sublist>({
  resource: true,
  column: true,
  through: true,
  where: true,
  instead: true,
  refuse: true,
  attach: true,
  create: true,
  write: true,
  offered: true,
  check: true,
  checkDetach: true,
  inherit: true,
  fixes: true,
  link: true,
  createRule: true,
  decorate: true,
  prepare: true,
  adopt: true,
  detachDeletesParent: true,
  orderBy: true,
});

export const spanParts = all<Span>({ resource: true, column: true, through: true });

export const answerParts = all<Answered>({
  status: true,
  media: true,
  type: true,
  page: true,
  fields: true,
  schema: true,
  empty: true,
});

export const runKindParts = all<RunKind>({
  kind: true,
  template: true,
  needs: true,
  staysPending: true,
  prompts: true,
  noted: true,
  templateShows: true,
  events: true,
  summarizesHosts: true,
  hidesUrls: true,
  graph: true,
  access: true,
  resource: true,
  resources: true,
  routes: true,
  extends: true,
  plan: true,
  content: true,
  parts: true,
  prepare: true,
  secretsOf: true,
  finish: true,
  work: true,
  follow: true,
  advance: true,
  mayAdvance: true,
  keeps: true,
  split: true,
  unlisted: true,
  begin: true,
  cancel: true,
  tells: true,
  notifies: true,
  explains: true,
});
