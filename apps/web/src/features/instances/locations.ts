import type { InstanceSummary } from '@app/contract'

/** Where a list leads: the overview, or for an instance of several processes the page about these [APP-17]. */
export const instancePath = ({ id, ha }: Pick<InstanceSummary, 'id' | 'ha'>): string =>
  ha ? `/instance/${id}/settings/ha` : `/instance/${id}/overview`
