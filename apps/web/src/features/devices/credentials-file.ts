import type { DeviceCredentials } from '@app/contract'

export const fileName = (deviceId: string): string => `device-${deviceId}.yml`

/** The file with which agents register themselves [PROV-10]. A name in JSON's quotes is a text in YAML, whatever it is. */
export const provisioningFile = (of: { name: string; teamId: string; token: string; address: string }) =>
  [
    `provisioningName: ${JSON.stringify(of.name)}`,
    `provisioningTeam: ${of.teamId}`,
    `provisioningToken: ${of.token}`,
    `forgeURL: ${of.address}`,
    '',
  ].join('\n')

/** The configuration file of an agent: the address of the platform and its credentials [DEV-51]. */
export function credentialsFile(
  deviceId: string,
  { token, credentialSecret, broker }: DeviceCredentials,
  forgeURL: string,
) {
  return [
    `deviceId: ${deviceId}`,
    `token: ${token}`,
    `credentialSecret: ${credentialSecret}`,
    `forgeURL: ${forgeURL}`,
    ...(broker
      ? [`brokerURL: ${broker.url}`, `brokerUsername: ${broker.username}`, `brokerPassword: ${broker.password}`]
      : []),
    '',
  ].join('\n')
}
