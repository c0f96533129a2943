import { ApiError } from '@tapline/plugin-sdk';

export const defaultPageSize = 25;
export const maxPageSize = 200;

export interface Page {
  size: number;
  /** `last` needs the count first */
  number: number | 'last';
}

export const invalidPage = () => new ApiError(404, 'Invalid page.');

/** The last of repeated parameters counts. */
export const lastOf = (query: URLSearchParams, name: string) => query.getAll(name).at(-1);

export function readPage(query: URLSearchParams): Page {
  const size = lastOf(query, 'page_size') ?? '';
  const number = lastOf(query, 'page');
  return {
    size: /^\d{1,15}$/.test(size) && Number(size) > 0 ? Math.min(Number(size), maxPageSize) : defaultPageSize,
    number: number === undefined ? 1 : number === 'last' ? 'last' : pageNumber(number),
  };
}

function pageNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1) throw invalidPage();
  return Number(text);
}

/** Path and sorted parameters of a neighbouring page. */
function pageLink(path: string, query: URLSearchParams, page: number, size: number): string {
  const parameters = new URLSearchParams([...query].filter(([key]) => key !== 'page'));
  if (Number(lastOf(query, 'page_size')) > maxPageSize) parameters.set('page_size', String(size));
  parameters.set('page', String(page));
  parameters.sort();
  return `${path}?${parameters}`;
}

export function envelope(
  path: string,
  query: URLSearchParams,
  { size, number }: { size: number; number: number },
  count: number,
  results: unknown[],
) {
  return {
    count,
    next: number * size < count ? pageLink(path, query, number + 1, size) : null,
    previous: number > 1 ? pageLink(path, query, number - 1, size) : null,
    results,
  };
}
