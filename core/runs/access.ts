import type { Rule, RunKind } from '@tapline/plugin-sdk';
import { allOf, anyOf, columnIs, via } from '../rbac/rules.ts';
import type { RunKinds } from './kinds.ts';

/** Who sees the rows of a type, whatever plugins restrict of it included. */
export type Visible = (type: string) => Rule;

/** A run of this kind that the caller sees, for rows of `runs` of any kind. */
export const seenOfKind = (visible: Visible, { kind }: Pick<RunKind, 'kind'>): Rule =>
  allOf(columnIs('kind', kind), visible(kind));

/** A run that the caller sees, of whatever kind. */
export const seenRun = (visible: Visible, kinds: RunKinds): Rule =>
  anyOf(...kinds.all().map((kind) => seenOfKind(visible, kind)));

/** What belongs to a run of this kind, by its column `run_id`. */
export const ofSeenRun = (visible: Visible, kind: Pick<RunKind, 'kind'>): Rule =>
  via('run_id', 'runs', seenOfKind(visible, kind));

/** A template that the caller sees, of whatever kind. */
export const seenTemplate = (visible: Visible, kinds: RunKinds): Rule =>
  anyOf(...kinds.templates().map(({ type }) => allOf(columnIs('kind', type), visible(type))));
