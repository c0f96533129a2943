import { offerProblems, type Point, pointName, points } from '@tapline/plugin-sdk';
import { callError, reasonOf } from '../observe/plugin-error.ts';
import { wrongArgument } from './door/arguments.ts';
import { callOf } from './door/door.ts';
import { closest } from './find/installed.ts';
import { calledBy } from './inventory.ts';
import type { Registries } from './registries.ts';

const corePoints = new Map<string, Point<object>>(Object.values(points).map((point) => [point.name, point]));

const declaredPoints = (registries: Registries): Map<string, Point<object>> =>
  new Map([...corePoints, ...registries.all('points').map(({ item }) => [item.name, item] as const)]);

/**
 * Whoever offers something need not know its owner, who may register later: what was offered is judged when all have.
 * @throws PluginError for the first that its point does not take, and for a point that is core's
 */
export function assertOffersFit(registries: Registries): void {
  for (const { plugin, item } of registries.all('points'))
    if (corePoints.has(item.name))
      throw callError(plugin, callOf('point', item.name), 'clashes: core has this point', 'choose another name');
  const declared = declaredPoints(registries);
  for (const { plugin, item } of registries.all('offers')) {
    const point = declared.get(item.point);
    const problems = point ? misfits(point, item.implementation) : [];
    if (problems.length) throw wrongArgument(plugin, callOf('offer', item.point), problems);
  }
}

/** All that was offered there, in the order of registration. Its owner opened it, so all of it fits. */
export const offersTo = <T extends object>(registries: Registries, point: string | Point<T>): T[] =>
  registries.all('offers').flatMap(({ item }) => (item.point === pointName(point) ? [item.implementation as T] : []));

/** What is wrong with what is offered, by its name where it has one. A schema is somebody's code as well. */
export function misfits(point: Point<object>, implementation: object): string[] {
  const name = calledBy(implementation);
  return judged(point, implementation).map((problem) => (name ? `${name}: ${problem}` : problem));
}

function judged(point: Point<object>, implementation: object): string[] {
  try {
    return offerProblems(point, implementation);
  } catch (error) {
    return [`it cannot be judged: ${reasonOf(error)}`];
  }
}

/** Offers to points that nobody opens: the owner may be off, or the name is misspelt. One sentence for each. */
export function unclaimedOffers(registries: Registries): { plugin: string; text: string }[] {
  const declared = declaredPoints(registries);
  const seen = new Set<string>();
  return registries.all('offers').flatMap(({ plugin, item: { point } }) => {
    if (declared.has(point) || seen.has(`${plugin} ${point}`)) return [];
    seen.add(`${plugin} ${point}`);
    const meant = closest(point, [...declared.keys()]);
    const text = `${plugin} offers something to the extension point ${point}, which no plugin that is on opens${meant ? `; is ${meant} meant?` : ''}`;
    return [{ plugin, text }];
  });
}
