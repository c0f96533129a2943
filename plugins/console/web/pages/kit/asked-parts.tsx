import {
  ApiFailure,
  CheckField,
  Form,
  masked,
  RelationPicker,
  RowsField,
  SecretField,
  SelectField,
  TextField,
  toast,
  useFields,
  t,
} from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { Part } from './part.tsx';

const choices = ['front', 'back'].map((value) => ({ value, label: value }));

/** As the service would answer: each error at its field. */
const refuse = () => {
  throw new ApiFailure(400, { name: [t`This field may not be blank.`] });
};

export function AskedParts() {
  const { values, errors, bind } = useFields({ name: '', notes: '', side: 'front', token: masked, inventory: '' });
  const on = useSignal(true);
  const doors = useSignal([{ door: t`Front door` }]);
  const send = async () => (values.value.name ? toast(t`${values.value.name} would be saved.`, 'good') : refuse());
  return (
    <Part name={t`Form`}>
      <Form submit={t`Save`} errors={errors} known={Object.keys(values.value)} onSubmit={send}>
        <TextField {...bind('name')} label={t`Name`} required hint={t`Left empty, it is refused.`} />
        <TextField {...bind('notes')} label={t`Notes`} lines={4} code />
        <SelectField {...bind('side')} label={t`Side`} choices={choices} preset />
        <RelationPicker {...bind('inventory')} label={t`Inventory`} list="inventories/" />
        <SecretField {...bind('token')} label={t`Token`} />
        <CheckField name="on" label={t`Switched on`} checked={on.value} onValue={(value) => void (on.value = value)} />
        <RowsField
          label={t`Doors`}
          one={t`door`}
          rows={doors.value}
          onRows={(rows) => void (doors.value = rows)}
          fresh={() => ({ door: '' })}
          row={({ door }, index, change) => (
            <TextField
              label={t`Name of the door`}
              name={`doors.${index}`}
              value={door}
              onValue={(text) => change({ door: text })}
            />
          )}
        />
      </Form>
    </Part>
  );
}
