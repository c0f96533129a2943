interface Props {
  path: string;
  query: URLSearchParams;
  page: number;
  pages: number;
}

export function Pager({ path, query, page, pages }: Props) {
  if (pages <= 1) return null;
  const to = (number: number) => {
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(number));
    return `${path}?${parameters}`;
  };
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 ? <a href={to(page - 1)}>Newer</a> : <span />}
      <span>
        Page {page} of {pages}
      </span>
      {page < pages ? <a href={to(page + 1)}>Older</a> : <span />}
    </nav>
  );
}
