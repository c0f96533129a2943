import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type CustomFieldProps, type Page, type Row, TextField, useQuery, t } from '@tapline/console-kit';

const pauseMs = 300;
const most = 5;

/** Which hosts a smart inventory takes in, tried while it is typed. */
export function SmartFilter({ value, onValue, errors, values }: CustomFieldProps) {
  const text = typeof value === 'string' ? value : '';
  if (values['kind'] !== 'smart' && text === '') return null;
  return (
    <>
      <TextField
        label={t`Host filter`}
        name="host_filter"
        hint={t`As in name__icontains=web and groups__name=shop, or (…) or (…); of facts ansible_facts__ansible_distribution=Debian.`}
        errors={errors['host_filter']}
        code
        lines={3}
        value={text}
        onValue={(typed) => onValue(typed === '' ? null : typed)}
      />
      <Tried text={text} />
    </>
  );
}

function Tried({ text }: { text: string }) {
  const tried = useSignal(text);
  useEffect(() => {
    const timer = setTimeout(() => void (tried.value = text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const filter = tried.value.trim();
  const list = `hosts/?host_filter=${encodeURIComponent(filter)}&order_by=name&page_size=${most}`;
  const { data, error } = useQuery<Page<Row>>(filter ? list : null);
  if (!filter) return null;
  const { count = 0, results = [] } = data.value ?? {};
  return (
    <div class="tried" role="status">
      {error.value && <p class="error">{error.value.message}</p>}
      {!error.value && !data.value && <p class="hint">{t`Trying it …`}</p>}
      {data.value && !error.value && (
        <p class="hint">
          {count === 0 && t`It takes in no host that you may see.`}
          {count > 0 && t`It takes in ${count === 1 ? t`1 host` : t`${count} hosts`}: `}
          {results.map((host) => host['name']).join(', ')}
          {count > most && ' …'}
        </p>
      )}
    </div>
  );
}
