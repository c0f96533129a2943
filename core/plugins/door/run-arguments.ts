import type { Needs } from '@tapline/plugin-sdk';
import { z } from 'zod';
import { fn, isRule, snake } from './argument-parts.ts';
import { actions, fields, later, links } from './content-arguments.ts';
import { only, resourceParts, runKindParts } from './known-parts.ts';

/** What the calls take that bring kinds of runs. */

const rule = z.custom(isRule, 'must be a rule with a row form and a query form: { name, row, query }');
const descriptor = (more: z.ZodRawShape = {}) =>
  only(
    [...resourceParts, 'without'],
    z.looseObject({
      path: snake('terraform_runs'),
      label: z.string('must be a text: Terraform run').min(1, 'must not be empty'),
      description: z.string('must be one sentence: what such a record is'),
      fields: fields(),
      sublists: later(() => links().sublists),
      spans: later(() => links().spans),
      actions: later(actions),
      listActions: later(actions),
      ...more,
    }),
  );

const needed: Record<Needs, string | null> = { engine: 'prepare', task: 'work', nobody: null };

/** Made when it is first needed, as a schema takes longer to make than the rest of a plugin to register. */
export const runKindSchema = () =>
  only(
    runKindParts,
    z
      .looseObject({
        kind: snake('terraform_run'),
        template: snake('terraform_template').nullable(),
        needs: z.enum(['engine', 'task', 'nobody'], 'must be engine, task or nobody'),
        noted: z.boolean('must say whether launches stand in the activity stream'),
        access: z.looseObject({ see: rule, cancel: rule }, 'must state who sees a run and who cancels it'),
        resource: descriptor(),
        resources: z.array(only(resourceParts, z.looseObject({}))).optional(),
        plan: fn('that plans a launch'),
      })
      .superRefine((kind, context) => {
        const name = needed[kind.needs];
        if (name && typeof kind[name] !== 'function')
          context.addIssue({
            code: 'custom',
            path: [name],
            message: `must be a function: a kind that needs ${kind.needs} has one`,
          });
        if (kind['staysPending'] && kind.needs !== 'nobody')
          context.addIssue({ code: 'custom', path: ['staysPending'], message: 'is for kinds that need nobody' });
      }),
  );

export const templateKindSchema = () =>
  z.strictObject({
    type: snake('terraform_template'),
    action: z.enum(['launch', 'update'], 'must be launch or update').optional(),
    resource: descriptor({ access: z.looseObject({ see: rule }, 'must state who sees a template') }),
    launch: rule,
  });

export const originSchema = () =>
  z.strictObject({
    kind: z.string('must be a text: portal').regex(/^[a-z][a-z0-9_-]*$/, 'must be one word, like portal'),
    launchType: z
      .enum(
        ['manual', 'relaunch', 'callback', 'scheduled', 'dependency', 'workflow', 'webhook', 'sync', 'scm'],
        'must be one of the launch types that clients know',
      )
      .optional(),
    variables: z.boolean('must be true or false').optional(),
  });
