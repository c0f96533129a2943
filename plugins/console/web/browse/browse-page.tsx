import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { cookie, type Fields, Loading, Notice, type Row, t } from '@tapline/console-kit';
import { AnswerView } from './answer-view.tsx';
import { type Answer, ask } from './ask.ts';
import { DeletePart } from './delete-part.tsx';
import { ListTools } from './list-tools.tsx';
import { WriteForm } from './write-form.tsx';

/** What OPTIONS says of a path. */
interface Description {
  name?: string;
  description?: string;
  actions?: Record<string, Fields>;
  search_fields?: string[];
}

interface Props {
  path: string;
  /** with its `?` */
  search: string;
}

/** One path of the API for a person: its answer with links, and forms for what can be done there. */
export function BrowsePage({ path, search }: Props) {
  const answer = useSignal<Answer | null>(null);
  /** the record as it was last read or changed: forms keep what was typed while other answers come and go */
  const row = useSignal<Row | null>(null);
  const described = useSignal<{ description: Description; allowed: string[] }>({ description: {}, allowed: [] });
  const whole = `${path}${search}`;
  useEffect(() => {
    void ask('GET', whole).then((found) => {
      answer.value ??= found;
      if (found.status === 200) row.value = found.body as Row;
    });
    void ask('OPTIONS', path).then(({ status, body, headers }) => {
      if (status !== 200) return;
      const allow = new Headers(headers).get('allow') ?? '';
      described.value = { description: (body ?? {}) as Description, allowed: allow.split(', ') };
    });
  }, []);
  const { description, allowed } = described.value;
  const title = description.name ?? path;
  useEffect(() => void (document.title = t`${title} · Tapline API`), [title]);

  const send = async (method: string, body?: string): Promise<Answer> => {
    const found = await ask(method, whole, body);
    answer.value = found;
    if (method === 'PATCH' && found.status === 200) row.value = found.body as Row;
    return found;
  };
  return (
    <>
      <TopBar here={whole} />
      <main class="browse">
        <Crumbs path={path} />
        <h1>{title}</h1>
        {description.description && <p class="intro">{description.description}</p>}
        {answer.value ? <AnswerView answer={answer.value} /> : <Loading what={t`the answer`} />}
        {answer.value?.status === 401 && <LogIn here={whole} />}
        <ListTools body={answer.value?.body} searchable={description.search_fields !== undefined} />
        <Writing row={row.value} description={description} allowed={allowed} send={send} />
      </main>
    </>
  );
}

interface WritingProps {
  row: Row | null;
  description: Description;
  allowed: string[];
  send: (method: string, body?: string) => Promise<Answer>;
}

/** Forms for what OPTIONS offers to this caller; a body is described there for those alone who may send it. */
function Writing({ row, description, allowed, send }: WritingProps) {
  const { POST, PUT } = description.actions ?? {};
  return (
    <>
      {POST && allowed.includes('POST') && <WriteForm method="POST" fields={POST} row={null} send={send} />}
      {PUT && row && allowed.includes('PATCH') && (
        <WriteForm key={row.modified} method="PATCH" fields={PUT} row={row} send={send} />
      )}
      {PUT && allowed.includes('DELETE') && <DeletePart send={() => send('DELETE')} />}
    </>
  );
}

const loginOf = (here: string) => `/api/login/?next=${encodeURIComponent(here)}`;

function TopBar({ here }: { here: string }) {
  return (
    <header class="browse-bar">
      <a href="/">{t`Console`}</a>
      <a href="/api/v2/">{t`API`}</a>
      <a href="/api/docs/">{t`Description`}</a>
      <span class="spring" />
      {cookie('userLoggedIn') === 'true' ? (
        <span class="muted">{t`logged in`}</span>
      ) : (
        <a href={loginOf(here)}>{t`Log in`}</a>
      )}
    </header>
  );
}

const LogIn = ({ here }: { here: string }) => (
  <Notice tone="info">
    <p>
      {t`Nobody is logged in.`} <a href={loginOf(here)}>{t`Log in`}</a> {t`and come back here.`}
    </p>
  </Notice>
);

/** `/api/v2/jobs/5/` → /api/ › v2 › jobs › 5 */
function Crumbs({ path }: { path: string }) {
  const names = path.split('/').filter(Boolean);
  return (
    <nav aria-label={t`Where this is`} class="crumbs">
      <ol class="plain">
        {names.map((name, at) => {
          const to = `/${names.slice(0, at + 1).join('/')}/`;
          return (
            <li key={to}>
              {at === names.length - 1 ? (
                <span aria-current="page">{decoded(name)}</span>
              ) : (
                <a href={to}>{decoded(name)}</a>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
