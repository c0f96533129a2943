import { isDeepStrictEqual } from 'node:util';
import { type PluginApi, type Row, ValidationError, type WriteContext } from '@tapline/plugin-sdk';
import { decoderOf } from '../decoders/decoders.ts';
import { eventDecoder } from '../decoders/decoder.ts';
import { keyProblem } from '../decoders/signatures.ts';
import { newKey } from '../keys.ts';
import type { RuleAction } from '../rule.ts';
import { targetOf } from '../targets.ts';
import { checkExpressions, checkGroupBy } from './check-expressions.ts';
import { readActions, readConditions } from './check-shape.ts';

/** What the sandbox says of a rule: it may take its time, in which nothing is held. */
export async function tryExpressions(api: PluginApi, { input, before }: Pick<WriteContext, 'input' | 'before'>) {
  if ('conditions' in input) {
    const conditions = readConditions(input['conditions']);
    if (!isDeepStrictEqual(conditions, before?.['conditions'])) await checkExpressions(api, conditions);
  }
  const group = input['group_by'];
  if (typeof group === 'string' && group !== before?.['group_by']) await checkGroupBy(api, group);
}

const slug = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** What a rule's fields alone do not say. Whoever writes its actions gives it his rights, and so needs them. */
export async function checkRule(api: PluginApi, { trx, call, input, before }: WriteContext): Promise<void> {
  const path = input['webhook_path'] as string | undefined;
  if (path !== undefined && !slug.test(path))
    refuse('webhook_path', 'Enter 1 to 100 letters, digits, _ and -, the first no _ or -.');
  if (before && path !== undefined && path !== before['webhook_path'])
    refuse(
      'webhook_path',
      'It is where senders send to, and cannot be changed: make another rule and delete this one.',
    );
  const source = input['source_type'] as string | undefined;
  if (source !== undefined && source !== before?.['source_type'] && !decoderOf(api, source))
    refuse('source_type', `"${source.slice(0, 100)}" is not a valid choice. There are: ${known(api)}.`);
  if (!before) input['webhook_key'] ||= newKey();
  else if (!input['webhook_key']) delete input['webhook_key'];
  const key: unknown = input['webhook_key'];
  const problem = typeof key === 'string' ? keyProblem(key) : undefined;
  if (problem) refuse('webhook_key', problem);
  if ('conditions' in input) input['conditions'] = readConditions(input['conditions']) as unknown as Row['conditions'];
  if (!('actions' in input)) return;
  const actions = readActions(input['actions']);
  input['actions'] = actions as unknown as Row['actions'];
  if (before && isDeepStrictEqual(actions, before['actions'])) return;
  await checkTargets(api, { trx, call }, actions);
  input['actions_by_id'] = call.actor?.id ?? null;
}

const known = (api: PluginApi) =>
  api
    .use(eventDecoder)
    .map(({ source_type: type }) => type)
    .join(', ');

async function checkTargets(
  api: PluginApi,
  { trx, call }: Pick<WriteContext, 'trx' | 'call'>,
  actions: readonly RuleAction[],
): Promise<void> {
  const problems: string[] = [];
  for (const [index, action] of actions.entries()) {
    // statements of one transaction
    // oxlint-disable-next-line no-await-in-loop
    const target = await targetOf(api, trx, action, call.actor);
    if ('problem' in target) problems.push(`Action ${index + 1}, target_id: ${target.problem}`);
  }
  if (problems.length) throw new ValidationError({ actions: problems });
}

function refuse(field: string, problem: string): never {
  throw ValidationError.field(field, problem);
}
