/** May not run long. */
export const options = { cutoff: "300ms" };

export default () => {
  for (;;);
};
