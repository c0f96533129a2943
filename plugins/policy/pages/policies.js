import { pagesOf } from '@tapline/console-kit';
import { policy, policyDecision, policyWaiver } from './resources.js';

// both stand on tabs of their policy
pagesOf(policyDecision);
pagesOf(policyWaiver);

export const routes = pagesOf(policy);
