import type { Resource } from '@tapline/console-kit';
import { makeKnown } from '@tapline/console-kit/shell';
import { activity } from './activity.ts';
import { application } from './programs/application.ts';
import { auditEvent } from './audit-event.ts';
import { credential } from './credential.tsx';
import { credentialInputSource } from './credential-input-source.tsx';
import { credentialType } from './credential-type.ts';
import { executionEnvironment } from './execution-environment.ts';
import { group } from './group.ts';
import { host } from './host.ts';
import { instance } from './instance.tsx';
import { instanceGroup } from './instance-group.tsx';
import { inventory } from './inventory.tsx';
import { inventorySource } from './inventory-source.tsx';
import { jobTemplate } from './job-template.tsx';
import { notification } from './notification.tsx';
import { notificationTemplate } from './notification-template.tsx';
import { organization } from './organization.ts';
import { project } from './project.tsx';
import { schedule } from './schedule.tsx';
import { systemJobTemplate } from './system/system-job-template.tsx';
import { team } from './team.ts';
import { token } from './programs/token.ts';
import { user } from './user.ts';
import { approval, vote } from './workflow/approval.tsx';
import { workflowJob } from './workflow/workflow-job.tsx';
import { workflowTemplate } from './workflow/workflow-template.tsx';

/** Every resource with pages of its own: one file and one line each. */
export const resources: readonly Resource[] = [
  organization,
  team,
  user,
  application,
  token,
  inventory,
  host,
  group,
  inventorySource,
  credential,
  credentialInputSource,
  credentialType,
  project,
  jobTemplate,
  workflowTemplate,
  workflowJob,
  systemJobTemplate,
  approval,
  vote,
  schedule,
  notificationTemplate,
  notification,
  instance,
  instanceGroup,
  executionEnvironment,
  activity,
  auditEvent,
];

makeKnown(resources);
