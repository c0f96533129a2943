import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import {
  Field,
  Form,
  type Page,
  post,
  RelationPicker,
  type Row,
  toast,
  useFields,
  useQuery,
  t,
} from '@tapline/console-kit';

const most = 200;

interface Props {
  row: Row;
  /** of the labels of the record, below /api/v2/ */
  list: string;
  onDone: () => Promise<void>;
}

/** Adds a label by its name: one of the organization, or a new one. */
export function LabelForm({ row, list, onDone }: Props) {
  const own = row['organization'] ?? row.summary_fields['organization']?.id;
  const { values, errors, set, bind } = useFields({ name: '', organization: own ? String(own) : '' });
  const { name, organization } = values.value;
  const turn = useSignal(0);
  const add = async () => {
    await post(list, { name, organization: Number(organization) || null });
    toast(t`${name} is added.`, 'good');
    set({ name: '' });
    turn.value += 1;
    await onDone();
  };
  return (
    <Form submit={t`Add label`} errors={errors} known={['name', 'organization']} onSubmit={add}>
      {!own && <RelationPicker {...bind('organization')} label={t`Organization`} list="organizations/" required />}
      <NameField {...bind('name')} key={turn.value} organization={organization} />
    </Form>
  );
}

interface NameProps {
  name: string;
  value: string;
  errors: string[] | undefined;
  onValue: (value: string) => void;
  organization: string;
}

/** Free text with the labels that there are. */
function NameField({ value, onValue, organization, ...field }: NameProps) {
  const id = useId();
  const of = organization && `labels/?organization=${organization}&order_by=name&page_size=${most}`;
  const { data } = useQuery<Page<Row>>(of || null);
  return (
    <Field {...field} label={t`Label`} required hint={t`One of its organization, or a new one.`}>
      {(wiring) => (
        <>
          <input
            {...wiring}
            type="text"
            list={id}
            value={value}
            autocomplete="off"
            onInput={(event) => onValue(event.currentTarget.value)}
          />
          <datalist id={id}>
            {(data.value?.results ?? []).map((label) => (
              <option key={label.id} value={label['name']} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
