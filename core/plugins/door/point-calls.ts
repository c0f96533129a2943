import { type Point, pointName } from '@tapline/plugin-sdk';
import { misfits } from '../points.ts';
import { schemas } from './arguments.ts';
import { callOf, type Door } from './door.ts';

/** Extension points: opened by one plugin, filled by others. */
export const pointCalls = ({ contribute, services }: Door) => ({
  point: (declared: Point<object>) =>
    void contribute({
      call: callOf('point', declared?.name),
      kind: 'points',
      arguments: [
        [schemas.point, declared],
        [schemas.pointName, declared?.name],
      ],
      claims: () => [['extension point', declared.name]],
      item: () => declared,
    }),
  offer: (point: string | Point<object>, implementation: object) =>
    void contribute({
      call: callOf('offer', pointName(point)),
      kind: 'offers',
      arguments: [
        [schemas.pointName, pointName(point)],
        [schemas.implementation, implementation],
      ],
      problem: () => (typeof point === 'string' ? undefined : misfits(point, implementation).join('; ') || undefined),
      item: () => ({ point: pointName(point), implementation }),
    }),
  use: (point: string | Point<object>): readonly object[] => services(callOf('use', pointName(point))).offers(point),
});
