import { docker, ensureImage, image } from '@app/drivers/testing/docker-image'

export { ensureImage, image }

/** FORGE_TEST_DRIVER=docker runs journeys with instances in containers of the Docker engine of this machine. */
export const inContainers = process.env.FORGE_TEST_DRIVER === 'docker'

/** Removes the containers that share folders of this home. */
export function removeContainers(home: string): void {
  const all = docker('ps', '--all', '--quiet', '--no-trunc', '--filter', 'label=flowforge.home').split('\n')
  const own = all.filter((id) => id !== '' && docker('inspect', '--format', '{{json .Mounts}}', id).includes(home))
  if (own.length > 0) docker('rm', '--force', ...own)
}
