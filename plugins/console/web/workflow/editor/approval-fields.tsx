import { type FieldErrors, SelectField, TextField } from '@tapline/console-kit';

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
      <TextField {...field('name', 'Name')} required hint="What is asked, such as: Shall it go live?" />
      <TextField {...field('description', 'Description')} />
      <TextField {...field('timeout', 'Timeout')} type="number" preset hint="Seconds; 0: it waits for ever." />
      <SelectField
        {...field('on_timeout', 'When nobody has decided by then')}
        preset
        choices={[
          { value: 'deny', label: 'It is denied' },
          { value: 'approve', label: 'It is approved' },
        ]}
      />
      <TextField {...field('required_approvals', 'How many have to approve')} type="number" preset />
      <TextField
        {...field('context_template', 'Context')}
        lines={3}
        code
        hint="A template over the artifacts of the nodes before it, shown to those who decide."
      />
    </>
  );
}
