import { useMemo } from 'preact/hooks';

/** With more, each in elements of its own, a page becomes slow: they are shown as plain text. */
const mostLines = 5000;

/** name, text and what follows of one line of JSON that is written line by line */
const line = /^(\s*)("(?:[^"\\]|\\.)*": )?(.*?)(,?)$/;

/** JSON as text, in which paths of this service are links. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const lines = useMemo(() => JSON.stringify(value, null, 2).split('\n'), [value]);
  return (
    <pre class="json" tabIndex={0} role="region" aria-label={label}>
      {lines.length > mostLines ? lines.join('\n') : lines.map((text, at) => <Line key={at} text={text} />)}
    </pre>
  );
}

function Line({ text }: { text: string }) {
  const [, indent, name, content = '', comma] = line.exec(text) ?? [];
  const path = pathIn(content);
  return (
    <>
      {indent}
      {name && <span class="name">{name}</span>}
      {path === undefined ? content : <a href={path}>{content}</a>}
      {`${comma}\n`}
    </>
  );
}

/** `"/api/v2/jobs/5/"` → the path; only ones of this service. */
function pathIn(content: string): string | undefined {
  if (!content.startsWith('"/api/') || !content.endsWith('"')) return undefined;
  return String(JSON.parse(content));
}
