import { z } from 'zod';
import { answerParts, fieldParts, only, spanParts, sublistParts } from './known-parts.ts';
import { access, fn, methods, rule, text } from './argument-parts.ts';

/** What resources, extensions and routes are made of. */

/** Most plugins have none of these, and what checks them takes longer to make than the rest of a plugin to register. */
export function later(make: () => z.ZodType) {
  let schema: z.ZodType | undefined;
  const check = z.unknown().superRefine((value, context) => {
    if (value === undefined) return;
    schema ??= make();
    for (const { path, message } of schema.safeParse(value).error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [...path], message });
  });
  return check.optional();
}

/** An object of such values whose names are right; the message stands at the name that is not. */
const byName = <T extends z.ZodType>(name: RegExp, message: string, value: T) =>
  z.record(z.string(), value).superRefine((given, context) => {
    for (const key of Object.keys(given))
      if (!name.test(key)) context.addIssue({ code: 'custom', path: [key], message });
  });

export const fields = () =>
  z.record(
    z.string(),
    only(fieldParts, z.looseObject({ type: z.string(), read: rule.optional(), write: rule.optional() })),
    'must be an object of field.* declarations',
  );
const answer = () => only(answerParts, z.looseObject({}));

/** What leads to other rows. */
export const links = () => ({
  sublists: z.record(
    z.string(),
    only(sublistParts, z.looseObject({ resource: z.string('must be the type that is listed') })),
  ),
  spans: z.record(
    z.string(),
    only(spanParts, z.looseObject({ resource: z.string('must be the type that it leads to') })),
  ),
});

const instant = () => z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' });
export const deprecation = () =>
  z.strictObject({
    since: instant(),
    sunset: instant().optional(),
    successor: z.string().startsWith('/', 'must be a path').optional(),
    why: text('one sentence on what to do instead').regex(
      /^[\x20-\x21\x23-\x7e]+$/,
      'must be plain ASCII without quotes',
    ),
  });
export const actionKeys = () => ({
  access,
  handler: fn('that answers a call'),
  summary: z.string().optional(),
  fields: fields().optional(),
  validate: z.literal(false, 'can only be false: bodies are checked by `fields`').optional(),
  takes: z.looseObject({}).optional(),
  answers: z.partialRecord(z.enum(methods), z.union([answer(), z.array(answer())])).optional(),
  lists: z.string().optional(),
  formats: z.array(z.string()).optional(),
  launches: z.union([z.literal(201), z.literal(202)]).optional(),
  deprecated: deprecation().optional(),
});
export const actions = () =>
  byName(
    /^[a-z][a-z0-9_]*(\/[a-z][a-z0-9_]*)*$/,
    'must have a name in snake_case, without slashes around it',
    z.strictObject({ ...actionKeys(), related: z.literal(false).optional() }),
  );

export const parameters = () =>
  byName(
    /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/,
    'must have a name in snake_case, without two underscores in a row',
    z
      .strictObject({
        type: z.enum(['datetime', 'date', 'boolean', 'integer', 'string', 'choice']),
        help: text('one sentence on which rows are left'),
        label: z.string().optional(),
        choices: z.array(z.string()).min(1).optional(),
        min: z.number().optional(),
        max: z.number().optional(),
        needs: z.array(z.string()).optional(),
        narrow: fn('that adds conditions'),
      })
      .refine(
        ({ type, choices }) => (type === 'choice') === (choices !== undefined),
        'must have choices where its type is choice, and only there',
      ),
  );

export const formats = () =>
  byName(
    /^(?!(json|api)$)[a-z][a-z0-9_]*$/,
    'must have a name in snake_case, and none that every list serves (json, api)',
    z
      .strictObject({
        media: z
          .string()
          .regex(/^[\w.+-]+\/[\w.+-]+(; *[\w-]+=[\w-]+)*$/, 'must be a media type, like "text/csv; charset=utf-8"'),
        extension: z.string().regex(/^[a-z0-9]+(\.[a-z0-9]+)*$/, 'must be the end of a file name, like "csv"'),
        help: z.string().optional(),
        columns: z
          .record(z.string(), z.union([z.string(), fn('of a row')], 'must be a key of the row, or a function of it'))
          .optional(),
        csv: z.literal(true).optional(),
        cells: fn("of the table's alias that answers SQL").optional(),
        line: fn("of the table's alias that answers SQL").optional(),
        row: fn('that makes the text of a row').optional(),
        header: z.string().optional(),
        separator: z.string().optional(),
        footer: z.string().optional(),
      })
      .refine(({ csv, row }) => (csv === undefined) !== (row === undefined), 'must have either `row` or `csv: true`'),
  );
