import type { DeviceCredentials } from '@app/contract'

export const fileName = (deviceId: string): string => `device-${deviceId}.yml`

/** The configuration file of an agent: the address of the platform and its credentials [DEV-51]. */
export function credentialsFile(deviceId: string, { token, credentialSecret }: DeviceCredentials, forgeURL: string) {
  return [
    `deviceId: ${deviceId}`,
    `token: ${token}`,
    `credentialSecret: ${credentialSecret}`,
    `forgeURL: ${forgeURL}`,
    '',
  ].join('\n')
}
