import type { RunKind, RunPlan } from '@tapline/plugin-sdk';
import { isReservedKey } from '../../runs/locks.ts';

/** A kind of a plugin whose plans lock by keys that are open to plugins, and by texts alone. */
export function ownKeys(kind: RunKind): RunKind {
  const { plan, split } = kind;
  return {
    ...kind,
    plan: async (request) => checked(kind.kind, await plan.call(kind, request)),
    ...(split && { split: (request, whole) => checked(kind.kind, split.call(kind, request, whole)) }),
  };
}

function checked(kind: string, plan: RunPlan): RunPlan {
  const { holds = [], waitsFor = [] } = plan.locks ?? {};
  const wrong = [...holds, ...waitsFor].find((key: unknown) => typeof key !== 'string' || !key || isReservedKey(key));
  if (wrong === undefined) return plan;
  throw new Error(
    `run kind ${kind}: its plan locks by ${JSON.stringify(wrong)}; a key must be a text like ${kind}:17, and keys that are "answer" or begin with "run:" are core's`,
  );
}
