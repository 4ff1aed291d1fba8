// The sound of a stone on the board, made by the browser: a short knock of filtered noise over a falling tone.

const SECONDS = 0.09;
const LOUDNESS = 0.35;

let context = null;
let noise = null;

/** Plays the sound. Before the user has touched the page, browsers keep silent. */
export function playStone() {
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  const now = context.currentTime;
  const loudness = context.createGain();
  loudness.gain.setValueAtTime(LOUDNESS, now);
  loudness.gain.exponentialRampToValueAtTime(0.001, now + SECONDS);
  loudness.connect(context.destination);
  knock(now, loudness);
  tone(now, loudness);
}

function knock(now, output) {
  noise ??= noiseOf(context);
  const source = new AudioBufferSourceNode(context, { buffer: noise });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: 1900, Q: 1.4 });
  source.connect(filter).connect(output);
  source.start(now);
}

function tone(now, output) {
  const source = new OscillatorNode(context, { frequency: 520 });
  source.frequency.exponentialRampToValueAtTime(190, now + SECONDS);
  source.connect(output);
  source.start(now);
  source.stop(now + SECONDS);
}

function noiseOf({ sampleRate }) {
  const buffer = new AudioBuffer({ length: Math.ceil(SECONDS * sampleRate), sampleRate });
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = 2 * Math.random() - 1;
  return buffer;
}
