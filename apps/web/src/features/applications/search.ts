import { plural } from '../../lib/plural.ts'
import type { ApplicationWithStates } from './applications.queries.ts'

/** Applications whose name holds the text, whole; of the others those instances whose name does. */
export function search(applications: ApplicationWithStates[], text: string): ApplicationWithStates[] {
  const wanted = text.trim().toLowerCase()
  const holds = ({ name }: { name: string }) => name.toLowerCase().includes(wanted)
  if (wanted === '') return applications
  return applications
    .map((application) =>
      holds(application) ? application : { ...application, instances: application.instances.filter(holds) },
    )
    .filter((application) => holds(application) || application.instances.length > 0)
}

/** '3 applications, 8 instances, 6 running' */
export function countText(applications: ApplicationWithStates[]): string {
  const instances = applications.flatMap((application) => application.instances)
  const running = instances.filter(({ meta }) => meta?.state === 'running').length
  return [
    plural(applications.length, 'application'),
    plural(instances.length, 'instance'),
    `${running.toLocaleString()} running`,
  ].join(', ')
}
