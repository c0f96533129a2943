import { type FieldErrors, SelectField, TextField, t } from '@tapline/console-kit';

export interface Approval {
  name: string;
  description: string;
  timeout: string;
  required_approvals: string;
  on_timeout: string;
  context_template: string;
}

export const approvalNames = ['name', 'description', 'timeout', 'required_approvals', 'on_timeout', 'context_template'];

/** What a node's template says of its approval; of another kind of node, what a new one begins with. */
export const approvalOf = (template: Record<string, unknown> = {}): Approval => {
  const of = (name: string, preset = '') => String(template[name] ?? preset);
  return {
    name: of('name'),
    description: of('description'),
    timeout: of('timeout', '0'),
    required_approvals: of('required_approvals', '1'),
    on_timeout: of('on_timeout', 'deny'),
    context_template: of('context_template'),
  };
};

const number = (text: string) => (/^-?\d+$/.test(text) ? Number(text) : text);

/** As the API wants it. */
export const approvalBody = (approval: Approval): Record<string, unknown> => ({
  ...approval,
  timeout: number(approval.timeout || '0'),
  required_approvals: number(approval.required_approvals || '1'),
});

interface Props {
  approval: Approval;
  errors: FieldErrors;
  onValue: (approval: Approval) => void;
}

export function ApprovalFields({ approval, errors, onValue }: Props) {
  const field = (name: keyof Approval, label: string) => ({
    name,
    label,
    errors: errors[name],
    value: approval[name],
    onValue: (value: string) => onValue({ ...approval, [name]: value }),
  });
  return (
    <>
      <TextField {...field('name', t`Name`)} required hint={t`What is asked, such as: Shall it go live?`} />
      <TextField {...field('description', t`Description`)} />
      <TextField {...field('timeout', t`Timeout`)} type="number" preset hint={t`Seconds; 0: it waits for ever.`} />
      <SelectField
        {...field('on_timeout', t`When nobody has decided by then`)}
        preset
        choices={[
          { value: 'deny', label: t`It is denied` },
          { value: 'approve', label: t`It is approved` },
        ]}
      />
      <TextField {...field('required_approvals', t`How many have to approve`)} type="number" preset />
      <TextField
        {...field('context_template', t`Context`)}
        lines={3}
        code
        hint={t`A template over the artifacts of the nodes before it, shown to those who decide.`}
      />
    </>
  );
}
