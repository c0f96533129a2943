import { reservedForPrograms } from '@tapline/plugin-sdk/checks';
import { z } from 'zod';
import { activeStatuses, terminalStatuses } from '../../runs/states.ts';
import { settingViews } from '../../settings/categories.ts';
import type { PluginError } from '../../observe/plugin-error.ts';
import { callError } from '../../observe/plugin-error.ts';
import { fn, kebab, methods, rule, snake, text, zodSchema } from './argument-parts.ts';
import { actionKeys, actions, deprecation, fields, formats, later, links, parameters } from './content-arguments.ts';
import { accessParts, only, resourceParts } from './known-parts.ts';

/** What each call of the door takes. Unknown keys are refused: a misspelt one would be ignored silently. */

// a timer beyond 2^31 ms fires at once
const milliseconds = (most: number) =>
  z.int('must be a whole number of milliseconds').min(1, 'must be 1 or more').max(most, `must be ${most} or less`);
const from = (min: number, max: number) =>
  z.int('must be a whole number').min(min, `must be ${min} or more`).max(max, `must be ${max} or less`);

/** Answered before the routes: nothing put there would ever be reached. */
const reserved = [
  '/api/login/',
  '/api/logout/',
  '/api/o/',
  '/healthz/',
  '/readyz/',
  '/metrics/',
  '/websocket/',
  '/api/websocket/',
];
const isReserved = (path: string) => reserved.some((taken) => path.startsWith(taken));

const coreGroups = new Set(['jobs', 'schedules', 'inventories', 'control']);

/** Each made when it is first needed: a schema takes longer to make than the rest of a plugin to register. */
function lazily<T extends Record<string, () => z.ZodType>>(makers: T): { readonly [K in keyof T]: ReturnType<T[K]> } {
  const made = {} as { [K in keyof T]: ReturnType<T[K]> };
  for (const [name, make] of Object.entries(makers))
    Object.defineProperty(made, name, {
      configurable: true,
      get: () => {
        const value = make();
        Object.defineProperty(made, name, { value });
        return value;
      },
    });
  return made;
}

const words = <T extends z.ZodType>(word: T) => z.array(word).min(1, 'must not be empty: leave it out for all of them');

const tapSchema = () =>
  z.strictObject({
    name: kebab('"capture-facts"'),
    stage: z.number().optional(),
    timeoutMs: milliseconds(600_000).optional(),
    asleep: fn('that answers whether it has nothing to do for now').optional(),
  });

export const schemas = lazily({
  resource: () =>
    only(
      resourceParts,
      z.looseObject({
        type: snake('"drift_alert"'),
        path: z
          .string('must be a text')
          .regex(
            /^[a-z][a-z0-9_]*(\/[a-z][a-z0-9_]*)*$/,
            'must be snake_case below /api/v2/, without slashes around it, like "drift_alerts"',
          ),
        table: z
          .string('must be a text')
          .regex(
            /^[a-z_][a-z0-9_]*$/,
            "must be the plain name of a table in the plugin's own schema, without the schema",
          ),
        label: text('the human name, like "Drift alert"'),
        fields: fields(),
        access: only(
          accessParts,
          z.looseObject(
            { see: rule, create: rule.optional(), change: rule.optional(), delete: rule.optional() },
            'must state who sees it: access.see',
          ),
        ),
        orderBy: z.array(z.string(), 'must be a list of fields').min(1, 'must not be empty: lists need a stable order'),
        methods: z.strictObject({ list: z.unknown().optional(), detail: z.unknown().optional() }).optional(),
        sublists: later(() => links().sublists),
        spans: later(() => links().spans),
        actions: later(actions),
        listActions: later(actions),
        parameters: later(parameters),
        formats: later(formats),
        deprecated: later(deprecation),
      }),
    ),
  route: () =>
    z.strictObject({
      path: z
        .string('must be a text')
        .regex(
          /^\/(:?[\w.~-]+\/)+$/,
          'must be a full path that begins and ends with a slash, like "/api/v2/drift/:id/"',
        )
        .refine((path) => !isReserved(path), 'must not be one that the service answers before any route'),
      ...actionKeys(),
      body: z
        .discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('json') }),
          z.strictObject({ kind: z.literal('raw'), limitBytes: z.number('is needed for raw bodies').int().positive() }),
          z.strictObject({ kind: z.literal('none') }),
        ])
        .optional(),
      openapi: z.partialRecord(z.enum(methods), z.looseObject({})).optional(),
      root: z.string().optional(),
      describe: fn('that tells what OPTIONS says').optional(),
    }),
  pages: () =>
    z.strictObject({
      path: z
        .string('must be a text')
        .regex(/^\/([\w.~-]+\/)*$/, 'must be a path that begins and ends with a slash')
        .refine((path) => !reservedForPrograms.test(path), 'must not be below /api/, or where else programs ask'),
      folder: z.instanceof(URL, { error: "must be a URL: new URL('./dist/', import.meta.url)" }),
      fallback: z.string().optional(),
      browse: z.string().optional(),
    }),
  extension: () =>
    z.strictObject({
      table: z
        .string()
        .regex(/^[a-z_][a-z0-9_]*$/, "must be the plain name of a table in the plugin's own schema")
        .optional(),
      key: snake('"host_id"').optional(),
      fields: fields().optional(),
      related: fn('of a row that answers links').optional(),
      summaries: fn('of a page of rows').optional(),
      sublists: later(() => links().sublists),
      actions: later(actions),
      listActions: later(actions),
      parameters: later(parameters),
      formats: later(formats),
    }),
  rule: () => rule,
  setting: () =>
    z.strictObject({
      key: z
        .string('must be a text')
        .regex(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/, 'must be UPPER_SNAKE, like "DRIFT_RETENTION_DAYS"'),
      category: kebab('"drift"').refine(
        (slug) => !Object.hasOwn(settingViews, slug),
        'must not be a view of all pages (all, changed)',
      ),
      type: z.enum(['integer', 'boolean', 'string', 'url', 'list', 'choice', 'map', 'object']),
      default: z.unknown().refine((value) => value !== undefined, 'is needed: a setting holds before anybody sets it'),
      help: text('one sentence on what follows from it'),
      label: z.string().optional(),
      choices: z.array(z.string()).optional(),
      min: z.number().optional(),
      max: z.number().optional(),
      nullable: z.boolean().optional(),
      secret: z.boolean().optional(),
      unit: z.string().optional(),
      check: fn('of a value').optional(),
    }),
  tap: tapSchema,
  statusTap: () =>
    tapSchema().extend({
      kinds: words(z.string()).optional(),
      to: words(z.enum([...activeStatuses, ...terminalStatuses])).optional(),
      listeners: snake('"listeners"').optional(),
    }),
  task: () =>
    z.strictObject({
      schema: zodSchema('of the payload, like z.object({ run_id: z.number() })'),
      maxAttempts: from(1, 100).optional(),
      priority: from(-1000, 1000).optional(),
      timeoutMs: milliseconds(3_600_000).optional(),
    }),
  cron: () =>
    z.strictObject({
      task: z.looseObject({ name: z.string() }, 'must be what api.task returned'),
      match: z.string('must be five fields as in crontab, like "0 3 * * *"'),
      payload: z.unknown().optional(),
    }),
  group: () =>
    z.strictObject({
      name: snake('"drift"').refine(
        (name) => !coreGroups.has(name) && !name.endsWith('_events'),
        'must not be a group of core (jobs, schedules, inventories, control, …_events)',
      ),
      join: fn('that says whether an actor may listen'),
    }),
  navigation: () =>
    z.strictObject({
      path: z.string('must be a text'),
      label: text('what people read'),
      order: z.number().optional(),
      section: z.string().optional(),
    }),
  consolePage: () =>
    z.strictObject({
      path: z.string('must be a text'),
      title: text('what people read'),
      module: z.instanceof(URL, { error: "must be a URL: new URL('./pages/page.js', import.meta.url)" }),
      nav: z
        .strictObject({
          label: z.string().optional(),
          order: z.number().optional(),
          section: z.string().optional(),
        })
        .optional(),
      panels: z
        .array(
          z.strictObject({
            on: z.string('must be the type of a record'),
            title: text('what people read'),
            export: z.string('must be the name of an export'),
            module: z.instanceof(URL, { error: 'must be a URL' }).optional(),
            order: z.number().optional(),
          }),
        )
        .optional(),
    }),
  permission: () => z.string('must be a text'),
  taskName: () => kebab('"capture-snapshot"'),
  insight: () =>
    z.string('must be a text').regex(/^[a-z][\w-]*(\.[\w-]+)+$/, 'must be a dotted name, like "scanners.enabled"'),
  pointName: () =>
    z.string('must be a text').regex(/^[a-z][\w-]*(\.[\w-]+)*$/, 'must be a dotted name, like "notification.kind"'),
  point: () =>
    z.looseObject(
      {
        name: z.string('must be a text'),
        schema: zodSchema('of what is offered'),
      },
      "must be what the SDK's point() returned",
    ),
  implementation: () =>
    z.custom<object>(
      (value) => (typeof value === 'object' && value !== null) || typeof value === 'function',
      'must be an object that implements the point',
    ),
  operation: () => z.enum(['create', 'update', 'delete', 'attach', 'detach']),
  typeName: () => snake('"organization"'),
  function: () => fn(''),
  beforeStartTap: () =>
    tapSchema().extend({
      failMode: z.enum(
        ['allow', 'deny'],
        "must be 'allow' or 'deny': it says what a tap that throws or is too late means for the launch",
      ),
      preview: z.boolean().optional(),
      takes: z.record(snake('"override_reason"'), text('one sentence on what it is for')).optional(),
    }),
});

/** @throws PluginError that names every wrong part of the argument and what it must be */
export function checkArgument<T>(plugin: string, call: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw wrongArgument(plugin, call, result.error.issues.map(lineOf));
}

const lineOf = ({ path, message }: z.core.$ZodIssue) =>
  path.length ? `${path.join('.')} ${lower(message)}` : lower(message);
const lower = (message: string) => message.charAt(0).toLowerCase() + message.slice(1);

export const wrongArgument = (plugin: string, call: string, problems: string[]): PluginError =>
  callError(plugin, call, 'has a wrong argument', problems.join('; '));
