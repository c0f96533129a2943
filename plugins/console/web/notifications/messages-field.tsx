import { useSignal } from '@preact/signals';
import { CheckField, type CustomFieldProps, TextField, t } from '@tapline/console-kit';
import { useOfKind } from './configuration-field.tsx';

interface Message {
  message?: string | null;
  body?: string | null;
}
type Messages = Record<string, any>;

/** Events of which word is sent, and where their texts stand. */
const events: readonly { path: readonly string[]; label: string }[] = [
  { path: ['started'], label: t`Start` },
  { path: ['success'], label: t`Success` },
  { path: ['error'], label: t`Failure` },
  { path: ['workflow_approval', 'running'], label: t`Approval asked for` },
  { path: ['workflow_approval', 'approved'], label: t`Approved` },
  { path: ['workflow_approval', 'denied'], label: t`Denied` },
  { path: ['workflow_approval', 'timed_out'], label: t`Approval timed out` },
];

const at = (messages: Messages | null | undefined, path: readonly string[]): Message =>
  path.reduce<any>((found, name) => found?.[name], messages) ?? {};

const own = (messages: Messages | null) =>
  events.some(({ path }) => at(messages, path).message || at(messages, path).body);

function withMessage(messages: Messages | null, [first = '', second]: readonly string[], message: Message): Messages {
  const all = messages ?? {};
  return { ...all, [first]: second === undefined ? message : { ...all[first], [second]: message } };
}

/** How word of each event reads, where it should not read as usual. */
export function MessagesField({ value, onValue, errors, values }: CustomFieldProps) {
  const messages = value as Messages | null;
  const usual: Messages | undefined = useOfKind('messages', String(values['notification_type'] ?? ''));
  const opened = useSignal(own(messages));
  const on = opened.value;
  const turn = (next: boolean) => {
    opened.value = next;
    if (!next) onValue(null);
  };
  return (
    <fieldset class="inputs" aria-invalid={errors['messages'] ? 'true' : undefined} tabIndex={-1}>
      <legend>{t`Texts`}</legend>
      {errors['messages'] && <p class="error">{errors['messages'].join(' ')}</p>}
      <CheckField
        name="own-texts"
        label={t`Use texts of your own`}
        hint={t`Templates with what is known of the run: {{ job.name }}, {{ job.status }}, {{ url }}.`}
        checked={on}
        onValue={turn}
      />
      {on &&
        events.map(({ path, label }) => (
          <EventTexts
            key={label}
            label={label}
            usual={at(usual, path)}
            message={at(messages, path)}
            onValue={(message) => onValue(withMessage(messages, path, message))}
          />
        ))}
    </fieldset>
  );
}

interface TextsProps {
  label: string;
  usual: Message;
  message: Message;
  onValue: (message: Message) => void;
}

/** Kinds that have no subject, or no body, are not asked for one; what stays as usual is not stored. */
function EventTexts({ label, usual, message, onValue }: TextsProps) {
  const field = (name: 'message' | 'body', text: string, lines: number) =>
    usual[name] != null && (
      <TextField
        name={`${label} ${name}`}
        label={`${label}: ${text}`}
        preset
        code
        lines={lines}
        value={message[name] ?? usual[name]}
        onValue={(next) => onValue({ ...message, [name]: next === usual[name] ? null : next })}
      />
    );
  return (
    <>
      {field('message', 'message', 1)}
      {field('body', 'body', 4)}
    </>
  );
}
