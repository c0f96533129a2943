import { t } from '../texts/t.ts';
import { ApiFailure, request } from '../api/http.ts';
import type { Launch } from '../runs/launching.ts';
import { apiOf, may, nameOf, type Resource, type Row } from '../resources/resource.ts';

/** What can be done with several records at once, one by one. */
export interface BulkAction<T> {
  verb: string;
  /** while it is done, and once it is */
  doing: string;
  done: string;
  warning: string;
  /** says no; default that they are kept */
  keep?: string;
  /** nothing is lost by it */
  harmless?: boolean;
  /** whether it can be done with this one, as far as the page knows */
  fits: (row: T) => boolean;
  /** What is launched is launched by `launch`: once, however often it is tried. @throws ApiFailure */
  act: (row: T, launch: Launch) => Promise<unknown>;
}

/** How records of a list are called. */
export interface Named<T> {
  one: string;
  many: string;
  label: (row: T) => string;
}

export const howMany = ({ one, many }: Pick<Named<never>, 'one' | 'many'>, count: number): string =>
  count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${many}`;

/** What is gone needs no deleting: somebody else did it, or the answer to the first try was lost. */
export const remove = (path: string): Promise<unknown> =>
  request('DELETE', path).catch((error: unknown) => {
    if (!(error instanceof ApiFailure && error.status === 404)) throw error;
  });

/** Of a resource: its own, and that they are deleted. */
export function actionsOf(resource: Resource): readonly BulkAction<Row>[] {
  const { bulk = [], readOnly } = resource;
  if (readOnly) return bulk;
  return [
    ...bulk,
    {
      verb: t`Delete`,
      doing: t`Deleting`,
      done: t`deleted`,
      warning: t`What belongs to them alone goes with them. This cannot be undone.`,
      fits: (row) => may(row, 'delete'),
      act: (row) => remove(`${apiOf(resource)}${row.id}/`),
    },
  ];
}

export const namesOf = (resource: Resource): Named<Row> => ({
  one: resource.one,
  many: resource.many,
  label: (row) => nameOf(resource, row),
});
