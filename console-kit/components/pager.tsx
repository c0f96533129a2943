import { t } from '../texts/t.ts';
interface Props {
  path: string;
  query: URLSearchParams;
  page: number;
  pages: number;
  /** the links, where the list is not one of newer and older */
  back?: string;
  on?: string;
}

export function Pager({ path, query, page, pages, back = t`Newer`, on = t`Older` }: Props) {
  if (pages <= 1) return null;
  const to = (number: number) => {
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(number));
    return `${path}?${parameters}`;
  };
  return (
    <nav class="pager" aria-label={t`Pages`}>
      {page > 1 ? <a href={to(page - 1)}>{back}</a> : <span />}
      <span>{t`Page ${page} of ${pages}`}</span>
      {page < pages ? <a href={to(page + 1)}>{on}</a> : <span />}
    </nav>
  );
}
