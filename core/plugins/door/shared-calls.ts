import type { GuardedWrite, Rule } from '@tapline/plugin-sdk';
import type { Operation } from '../../rbac/doors.ts';
import { schemas } from './arguments.ts';
import { callOf, type Door } from './door.ts';

/** The insights that plugins give one another, and where they narrow what core does. */
export const sharedCalls = ({ contribute, services }: Door) => ({
  insights: {
    provide: (name: string, read: () => unknown) =>
      void contribute({
        call: callOf('insights.provide', name),
        kind: 'insights',
        arguments: [
          [schemas.insight, name],
          [schemas.function, read],
        ],
        claims: () => [['insight', name]],
        item: () => ({ name, read }),
      }),
    read: async <T>(name: string, fallback: T): Promise<T> =>
      services(callOf('insights.read', name)).insight(name, fallback),
  },
  guard: (resource: string, operation: Operation, fn: (write: GuardedWrite) => void | Promise<void>) =>
    void contribute({
      call: callOf('guard', resource, operation),
      kind: 'guards',
      arguments: [
        [schemas.typeName, resource],
        [schemas.operation, operation],
        [schemas.function, fn],
      ],
      item: () => ({ resource, operation, fn }),
    }),
  restrict: (resource: string, restriction: Pick<Rule, 'row' | 'query'>) =>
    void contribute({
      call: callOf('restrict', resource),
      kind: 'restrictions',
      arguments: [
        [schemas.typeName, resource],
        [schemas.rule, restriction],
      ],
      item: () => ({ resource, restriction }),
    }),
});
