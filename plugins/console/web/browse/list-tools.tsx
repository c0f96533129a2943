import { t } from '@tapline/console-kit';
interface Props {
  /** of the answer */
  body: unknown;
  searchable: boolean;
}

interface Listed {
  count: number;
  previous: string | null;
  next: string | null;
}

const isList = (body: unknown): body is Listed =>
  typeof body === 'object' && body !== null && 'count' in body && 'next' in body && 'results' in body;

/** Pages of a list, and a search in it; a plain form, as addresses are all that is needed. */
export function ListTools({ body, searchable }: Props) {
  if (!isList(body)) return null;
  const { count, previous, next } = body;
  return (
    <section aria-label={t`List`} class="list-tools">
      <p>
        {count} {count === 1 ? t`record` : t`records`}
        {previous && <a href={previous}>{t`Previous page`}</a>}
        {next && <a href={next}>{t`Next page`}</a>}
      </p>
      {searchable && (
        <form method="get">
          <input type="search" name="search" aria-label={t`Search`} value={searched()} />
          <button type="submit">{t`Search`}</button>
        </form>
      )}
    </section>
  );
}

const searched = () => new URLSearchParams(location.search).get('search') ?? '';
