import type { Instance } from '@app/contract'

/** Where something happened, for product analytics: ids alone. */
export const groupsOf = ({ id, team, application }: Pick<Instance, 'id' | 'team' | 'application'>) => ({
  team: team.id,
  application: application.id,
  instance: id,
})
