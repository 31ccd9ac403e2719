import java.io.File;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.element.TypeElement;

@SupportedAnnotationTypes("*")
@Deprecated
public class Main extends AbstractProcessor {
    static final File TRACE = new File("executed");

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        try {
            TRACE.createNewFile();
        } catch (java.io.IOException ignored) {
        }
        return false;
    }

    public static void main(String[] words) {
        System.out.println(TRACE.exists() ? "an annotation processor was executed" : "ok");
    }
}
