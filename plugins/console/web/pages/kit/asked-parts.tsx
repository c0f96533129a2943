import {
  ApiFailure,
  CheckField,
  Form,
  masked,
  RelationPicker,
  SecretField,
  SelectField,
  TextField,
  toast,
  useFields,
} from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { Part } from './part.tsx';

const choices = ['front', 'back'].map((value) => ({ value, label: value }));

/** As the service would answer: each error at its field. */
const refuse = () => {
  throw new ApiFailure(400, { name: ['This field may not be blank.'] });
};

export function AskedParts() {
  const { values, errors, bind } = useFields({ name: '', notes: '', side: 'front', token: masked, inventory: '' });
  const on = useSignal(true);
  const send = async () => (values.value.name ? toast(`${values.value.name} would be saved.`, 'good') : refuse());
  return (
    <Part name="Form">
      <Form submit="Save" errors={errors} known={Object.keys(values.value)} onSubmit={send}>
        <TextField {...bind('name')} label="Name" required hint="Left empty, it is refused." />
        <TextField {...bind('notes')} label="Notes" lines={4} code />
        <SelectField {...bind('side')} label="Side" choices={choices} preset />
        <RelationPicker {...bind('inventory')} label="Inventory" list="inventories/" />
        <SecretField {...bind('token')} label="Token" />
        <CheckField name="on" label="Switched on" checked={on.value} onValue={(value) => void (on.value = value)} />
      </Form>
    </Part>
  );
}
