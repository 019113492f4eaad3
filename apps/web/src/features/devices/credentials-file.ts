import type { DeviceCredentials } from '@app/contract'

export const fileName = (deviceId: string): string => `device-${deviceId}.yml`

/** What the agent of a device reads to find the platform and to be let in [DEV-51]. */
export function credentialsFile(deviceId: string, { token, credentialSecret }: DeviceCredentials, forgeURL: string) {
  return [
    `deviceId: ${deviceId}`,
    `token: ${token}`,
    `credentialSecret: ${credentialSecret}`,
    `forgeURL: ${forgeURL}`,
    '',
  ].join('\n')
}
