import type { OriginKind, RunKind, TemplateKind } from '@tapline/plugin-sdk';
import { fieldProblems } from '@tapline/plugin-sdk/checks';
import { coreOrigins } from '../../runs/origins.ts';
import { promptsOf } from '../../runs/prompts/prompts.ts';
import { reasonOf } from '../../observe/plugin-error.ts';
import { callOf, type Door } from './door.ts';
import { originSchema, runKindSchema, templateKindSchema } from './run-arguments.ts';

/** Kinds of runs and of templates, and what starts them. */
export const runCalls = ({ contribute }: Door) => ({
  runKind: (kind: RunKind) =>
    void contribute({
      call: callOf('runKind', kind?.kind),
      kind: 'runKinds',
      arguments: [[runKindSchema(), kind]],
      problem: () => promptProblem(kind) ?? defaultProblem(kind.resource.fields),
      claims: () => [
        ['type', kind.kind],
        ['path', `/api/v2/${kind.resource.path}/`],
        ['run kind', kind.kind],
        ...(kind.resources ?? []).flatMap(({ type, path }) => [
          ['type', type] as const,
          ['path', `/api/v2/${path}/`] as const,
        ]),
      ],
      item: () => kind,
    }),
  templateKind: (template: TemplateKind) =>
    void contribute({
      call: callOf('templateKind', template?.type),
      kind: 'templateKinds',
      arguments: [[templateKindSchema(), template]],
      problem: () => defaultProblem(template.resource.fields),
      claims: () => [
        ['type', template.type],
        ['path', `/api/v2/${template.resource.path}/`],
      ],
      item: () => template,
    }),
  origin: (origin: OriginKind) =>
    void contribute({
      call: callOf('origin', origin?.kind),
      kind: 'origins',
      arguments: [[originSchema(), origin]],
      problem: () => (coreOrigins.includes(origin.kind) ? `core has the origin ${origin.kind} itself` : undefined),
      claims: () => [['origin', origin.kind]],
      item: () => origin,
    }),
});

const defaultProblem = (fields: RunKind['resource']['fields']) => fieldProblems(fields).join('; ') || undefined;

function promptProblem({ prompts }: RunKind): string | undefined {
  try {
    promptsOf(prompts);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}
