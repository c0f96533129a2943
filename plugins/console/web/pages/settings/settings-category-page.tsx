import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import {
  attempt,
  Failure,
  type FieldErrors,
  Form,
  Loading,
  masked,
  Notice,
  PageLayout,
  place,
  request,
  toast,
  useOptions,
  useQuery,
  type Values,
  t,
} from '@tapline/console-kit';
import { SettingField } from './setting-field.tsx';
import { type SettingOption, settingBody, settingValue } from './setting-values.ts';

export function SettingsCategoryPage({ params }: { params: Record<string, string> }) {
  const slug = params['slug']!;
  const path = `settings/${slug}/`;
  const { data, error, reload } = useQuery<Values>(path);
  const options = useOptions(path);
  const problem = error.value ?? options.error.value;
  const again = async () => {
    await Promise.all([reload(), options.reload()]);
  };
  const shown = options.data.value?.actions.GET as Record<string, SettingOption> | undefined;
  const title = Object.values(shown ?? {})[0]?.category ?? slug;
  return (
    <PageLayout
      title={slug === 'all' || slug === 'changed' ? t`Settings: ${slug}` : t`Settings: ${title}`}
      intro={<a href="/settings">{t`Settings`}</a>}
    >
      {problem && <Failure error={problem} what={t`settings`} again={again} />}
      {(!data.value || !shown) && !problem && <Loading what={t`settings`} />}
      {data.value && shown && (
        <CategoryForm
          path={path}
          values={data.value}
          shown={shown}
          changeable={options.data.value?.actions.PUT as Record<string, SettingOption> | undefined}
          reload={again}
        />
      )}
    </PageLayout>
  );
}

/** The one that a search led to comes into sight and takes the focus. */
function useSought(): void {
  const sought = place.value.query.get('setting');
  useEffect(() => {
    const control = sought && document.querySelector<HTMLElement>(`[name="${CSS.escape(sought)}"]`);
    if (!control) return;
    control.focus({ preventScroll: true });
    control.scrollIntoView({ block: 'center' });
  }, [sought]);
}

// of a secret nothing could take that back; it is removed at its field
const mayReset = ({ origin, secret }: SettingOption) => origin === 'database' && !secret;

/** One setting, at once and whatever else is typed; the message can take it back. */
async function putBack(slug: string, name: string, { value, reload }: { value: unknown; reload: () => Promise<void> }) {
  // that of what was changed holds it no more by then
  const path = `settings/${slug}/`;
  const undo = async () => {
    await attempt(() => request('PATCH', path, { body: { [name]: value } }), { said: t`${name} is as it was.` });
    await reload();
  };
  if (await attempt(() => request('DELETE', `${path}${name}/`), { said: t`${name} is back to its default.`, undo }))
    await reload();
}

interface Editing {
  /** what was read */
  start: Values;
  typed: Signal<Values>;
  /** what was saved since, as it was typed */
  saved: { current: Values };
}

/** What was read again stands in the form, but for what somebody is changing, also while it is saved. */
function useReset(values: Values, shown: Record<string, SettingOption>, { start, typed, saved }: Editing): void {
  useEffect(() => {
    const next = { ...typed.peek() };
    for (const [name, option] of Object.entries(shown)) {
      const read = settingValue(option, values[name]);
      if (next[name] === start[name] || next[name] === saved.current[name]) next[name] = read;
      start[name] = read;
    }
    saved.current = {};
    typed.value = next;
  }, [values]);
}

interface Props {
  path: string;
  values: Values;
  shown: Record<string, SettingOption>;
  changeable: Record<string, SettingOption> | undefined;
  /** reads the settings again under a form that goes on */
  reload: () => Promise<void>;
}

function CategoryForm({ path, values, shown, changeable, reload }: Props) {
  const start: Values = useMemo(
    () => Object.fromEntries(Object.entries(shown).map(([name, option]) => [name, settingValue(option, values[name])])),
    [],
  );
  const typed = useSignal<Values>(start);
  const saved = useRef<Values>({});
  const errors = useSignal<FieldErrors>({});
  const names = Object.keys(shown);
  useSought();
  useReset(values, shown, { start, typed, saved });
  const reset = (name: string) => {
    typed.value = { ...typed.value, [name]: start[name] };
    return putBack(shown[name]!.category_slug, name, { value: values[name], reload });
  };
  const fields = names.map((name) => (
    <SettingField
      // a secret says whether one is stored, as it began: it begins anew when that changed
      key={`${name} ${start[name] === masked}`}
      name={name}
      option={shown[name]!}
      readOnly={!changeable?.[name] || shown[name]!.defined_in_file}
      value={typed.value[name]}
      errors={errors.value[name]}
      onValue={(value) => void (typed.value = { ...typed.value, [name]: value })}
      onReset={mayReset(shown[name]!) ? () => reset(name) : undefined}
    />
  ));
  if (!names.length) return <p class="empty">{t`There is none.`}</p>;
  if (!changeable)
    return (
      <>
        <Notice tone="info">{t`You may look at these, but not change them.`}</Notice>
        <div class="form">{fields}</div>
      </>
    );
  const submit = async () => {
    const sent = typed.value;
    const body = settingBody(shown, sent, start);
    if (!Object.keys(body).length) return toast(t`Nothing was changed.`);
    await request('PATCH', path, { body });
    toast(t`The settings are saved.`, 'good');
    saved.current = Object.fromEntries(Object.keys(body).map((name) => [name, sent[name]]));
    await reload();
  };
  return (
    <Form submit={t`Save`} errors={errors} known={names} onSubmit={submit}>
      {fields}
    </Form>
  );
}
