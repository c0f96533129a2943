import { defineResource, field, type Resource, type Route } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { flag, integer, listOf, pageOf, record, text } from '../../descriptors/describe/json-schema.ts';
import type { Hooks } from '../../hooks/hooks.ts';
import { describeHooks } from '../../hooks/tap-figures.ts';
import { auditor } from '../../rbac/rules.ts';
import { shownList } from './shown-list.ts';

const ro = { mode: 'ro' } as const;

const tap = record({
  plugin: text,
  name: text,
  stage: { type: 'number' },
  fail_mode: { ...text, enum: ['allow', 'deny', 'retry'] },
  timeout_ms: integer,
  calls: integer,
  errors: integer,
  p50_ms: { type: ['number', 'null'] },
  p95_ms: { type: ['number', 'null'] },
  last_called: { type: ['string', 'null'], format: 'date-time' },
});

const hookFields = { name: field.string(), queued: field.boolean(), taps: field.list() };

/** The hooks with the taps on them, in their order. */
export const hooksRoute = ({ db, hooks }: { db: Knex; hooks?: Pick<Hooks, 'list'> }): Route => ({
  path: '/api/v2/hooks/',
  root: 'hooks',
  summary: 'The hooks, and what plugins do on them',
  access: { GET: auditor },
  answers: { GET: { schema: pageOf(record({ name: text, queued: flag, taps: listOf(tap) })) } },
  async handler(call) {
    const all = hooks ? await describeHooks({ db, hooks }) : [];
    return shownList({ path: '/api/v2/hooks/', label: 'Hook', fields: hookFields, search: ['name'] }, call, all);
  },
});

/** What each tap did, kept for a week: for whoever asks what happened to a run. */
export const hookTraceResource = (): Resource =>
  defineResource({
    type: 'hook_trace',
    path: 'hooks/traces',
    root: false,
    table: 'hook_traces',
    label: 'Hook trace',
    description: 'What a tap of a plugin did when it was called, how long it took, and how it ended.',
    methods: { list: ['GET'], detail: ['GET'] },
    access: { see: auditor },
    orderBy: ['-id'],
    search: ['plugin', 'tap', 'error'],
    fields: {
      created: field.datetime(ro),
      hook: field.string({ ...ro, help: 'Which hook called it.' }),
      plugin: field.string({ ...ro, help: 'Whose tap it is.' }),
      tap: field.string(ro),
      run: field.integer({ ...ro, column: 'run_id', nullable: true, help: 'The run; one that was denied is gone.' }),
      result: field.choice(['ok', 'denied', 'threw', 'timed out', 'invalid'], {
        ...ro,
        help: 'denied: it refused the launch; invalid: its answer was neither nothing nor a denial.',
      }),
      milliseconds: field.number(ro),
      attempt: field.integer({ ...ro, help: '1 at the first try; a queued tap that fails is tried again.' }),
      error: field.text(ro),
      node: field.string({ ...ro, help: 'Where it ran.' }),
    },
  });
