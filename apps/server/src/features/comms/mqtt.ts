/** The client of MQTT, which is loaded only where a broker is used. */
export async function loadMqtt() {
  const [{ default: mqtt }, { writeToStream }] = await Promise.all([import('mqtt'), import('mqtt-packet')])
  // It would keep the bytes of each number up to 65535, 8 MB.
  writeToStream.cacheNumbers = false
  return mqtt
}
