import { CodeField, get, place, post, SelectField, useQuery, t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { Fragment, h } from 'preact';
import { useEffect } from 'preact/hooks';

const pauseMs = 400;
const placeholder = 'package tapline.example\n\nwarn contains "Name what you launch." if input.resource_name == ""\n';

/** The policy's text, and what it says of a stored launch while it is typed. */
export function ModuleField({ value, onValue, errors, values }) {
  const [, policy] = /^\/policies\/(\d+)\/edit$/.exec(place.value.path) ?? [];
  return h(
    Fragment,
    null,
    h(CodeField, {
      label: t`Module`,
      name: 'rego_module',
      required: true,
      language: 'rego',
      placeholder,
      hint: t`In the language of the engine, beginning with its package, which no other policy has.`,
      errors: errors['rego_module'],
      value,
      onValue,
    }),
    (policy || value) && h(Trial, { policy, module: value, organization: values.organization ?? null }),
  );
}

function Trial({ policy, module, organization }) {
  const { data } = useQuery('policy_decisions/?order_by=-id&page_size=50');
  const chosen = useSignal('');
  const said = useSignal('');
  useEffect(() => {
    let late = false;
    const timer = setTimeout(
      () =>
        void tell({ policy, module, organization }, chosen.value).then((text) => {
          // what was typed since has an answer of its own
          if (!late) said.value = text;
        }),
      pauseMs,
    );
    return () => {
      late = true;
      clearTimeout(timer);
    };
  }, [module, organization, chosen.value]);
  const choices = (data.value?.results ?? []).map(({ id, policy_name: of, message, created }) => ({
    value: String(id),
    label: `${of}, ${new Date(created).toLocaleString()}: ${message.slice(0, 60)}`,
  }));
  return h(
    'section',
    { class: 'card', 'aria-label': t`Try the module` },
    h(SelectField, {
      label: t`Try with the context of`,
      name: 'context',
      empty: t`no launch`,
      choices,
      value: chosen.value,
      onValue: (id) => void (chosen.value = id),
    }),
    h('pre', { class: 'value', role: 'status' }, said.value),
  );
}

/** What the text says of the launch, or what the engine says of the text. */
async function tell({ policy, module, organization }, decision) {
  try {
    const input = decision ? (await get(`policy_decisions/${decision}/`)).context : {};
    const answer = policy
      ? await post(`policies/${policy}/test/`, { input, rego_module: module })
      : await post('policies/test/', { input, rego_module: module, organization });
    const verdict = answer.recognized ? answer.decision : t`a result of no known shape: allow`;
    return [verdict, ...answer.deny, ...answer.warn].join('\n');
  } catch ({ message, body }) {
    return [body?.rego_module ?? message].flat().join('\n');
  }
}
